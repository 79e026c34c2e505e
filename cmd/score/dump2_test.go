package main
import ("testing";"os";"strings";"fmt";"regexp"
"github.com/tidemark/tidemark/pkg/content/extract"
"github.com/tidemark/tidemark/pkg/content/extract/web")
var moneyish=regexp.MustCompile(`(?:[$€£]|\bUSD|\bEUR|\bAUD|\bGBP|\bBGN)\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|лв|USD|EUR|AUD)|(?i)\bfree to play\b|out of stock|sold out`)
func TestDump2(t *testing.T){
 ids,_:=os.ReadFile("/tmp/44a/products.txt")
 for _,id:=range strings.Fields(string(ids)){
  rs,addr,_:=readProduct(os.DirFS("/tmp/44a/wcxb/dev"),id)
  body,_:=os.ReadFile("/tmp/44a/wcxb/dev/html/"+id+".html")
  doc,err:=web.Extract(body,"text/html",addr,extract.Limits{})
  if err!=nil{t.Log(err)}
  p:=present(rs)
  fmt.Printf("## %s %.60s | %.50s | HAVE %s %s\n",id,addr,doc.Title,p.State,p.Value)
  text:=strings.Join(strings.Fields(doc.VisibleText)," ")
  n:=0; last:=-1
  for _,m:=range moneyish.FindAllStringIndex(text,-1){
   if m[0]<last {continue}
   a,b:=max(0,m[0]-35),min(len(text),m[1]+25)
   fmt.Printf("   @%d …%s…\n",m[0]*100/len(text),strings.ToValidUTF8(text[a:b],""))
   last=b; n++; if n==7{break}
  }
 }
}
