package main
import ("testing";"os";"strings";"fmt")
func TestDump(t *testing.T){
 ids,_:=os.ReadFile("/tmp/44a/products.txt")
 for _,id:=range strings.Fields(string(ids)){
  rs,addr,err:=readProduct(os.DirFS("/tmp/44a/wcxb/dev"),id)
  if err!=nil{t.Fatal(err)}
  fmt.Printf("%s %.70s\n",id,addr)
  for _,r:=range rs{ fmt.Printf("    %-12s %-11s %.60s | %s %s %.60q %s\n",r.Name,r.State,r.Value,r.Evidence.Source,r.Evidence.At,r.Evidence.Excerpt,r.Evidence.Reason)}
 }
}
