# writes small PDFs from objects
import sys,zlib
def pdf(path, objs, root=1, info=None):
    out=b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"; offs=[]
    for i,o in enumerate(objs,1):
        offs.append(len(out)); out+=b"%d 0 obj\n"%i+o+b"\nendobj\n"
    x=len(out); out+=b"xref\n0 %d\n0000000000 65535 f \n"%(len(objs)+1)
    for o in offs: out+=b"%010d 00000 n \n"%o
    out+=b"trailer <</Size %d /Root %d 0 R%s>>\nstartxref\n%d\n%%%%EOF\n"%(len(objs)+1,root,b" /Info %d 0 R"%info if info else b"",x)
    open(path,"wb").write(out)
def stream(d,s): return b"<<"+d+b" /Length %d>>\nstream\n"%len(s)+s+b"\nendstream"
helv=b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>"
# form
pdf("form.pdf",[
 b"<</Type /Catalog /Pages 2 0 R /AcroForm <</Fields [6 0 R 7 0 R 8 0 R 9 0 R] /DR <</Font <</Helv 5 0 R>>>> /DA (/Helv 0 Tf 0 g)>>>>",
 b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
 b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 420 300] /Resources <</Font <</F 5 0 R>>>> /Contents 4 0 R /Annots [6 0 R 7 0 R 8 0 R 9 0 R]>>",
 stream(b"",b"BT /F 18 Tf 40 250 Td (Mooring permit) Tj /F 10 Tf 0 -30 Td (Fill in and return to the harbour office.) Tj ET"),
 helv,
 b"<</Type /Annot /Subtype /Widget /FT /Tx /T (f1_01[0]) /TU (Name of vessel) /V (Marigold II) /Rect [40 180 200 195] /P 3 0 R /DA (/Helv 10 Tf 0 g)>>",
 b"<</Type /Annot /Subtype /Widget /FT /Ch /Ff 131072 /T (berth) /TU (Berth) /Opt [(North quay) (South quay)] /V (South quay) /Rect [40 150 200 165] /P 3 0 R /DA (/Helv 10 Tf 0 g)>>",
 b"<</Type /Annot /Subtype /Widget /FT /Btn /T (power) /TU (Shore power wanted) /V /Yes /AS /Yes /Rect [40 120 52 132] /P 3 0 R /AP <</N <</Yes 10 0 R /Off 10 0 R>>>>>>",
 b"<</Type /Annot /Subtype /Widget /FT /Tx /T (empty) /TU (Remarks) /Rect [40 90 200 105] /P 3 0 R /DA (/Helv 10 Tf 0 g)>>",
 stream(b"/Type /XObject /Subtype /Form /BBox [0 0 12 12]",b""),
])
# scan: one gray image per page
img=stream(b"/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray /BitsPerComponent 8",bytes(range(0,256,4)))
page=b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Resources <</XObject <</I 5 0 R>>>> /Contents 4 0 R>>"
pdf("scan.pdf",[b"<</Type /Catalog /Pages 2 0 R>>",b"<</Type /Pages /Kids [3 0 R] /Count 1>>",page,stream(b"",b"q 200 0 0 200 0 0 cm /I Do Q"),img])
# an outline whose only entry is its own successor and its own child
pdf("loop.pdf",[
 b"<</Type /Catalog /Pages 2 0 R /Outlines 6 0 R>>",
 b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
 b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources <</Font <</F 5 0 R>>>> /Contents 4 0 R>>",
 stream(b"",b"BT /F 12 Tf 40 150 Td (Round and round.) Tj ET"), helv,
 b"<</Type /Outlines /First 7 0 R /Last 7 0 R /Count 1>>",
 b"<</Title (Round) /Parent 6 0 R /Next 7 0 R /First 7 0 R /Last 7 0 R /Dest [3 0 R /Fit]>>",
])
# a page turned by 90 degrees, its text with it; a link; a title that is the name of a file
pdf("turned.pdf",[
 b"<</Type /Catalog /Pages 2 0 R /Lang (en-GB)>>",
 b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
 b"<</Type /Page /Parent 2 0 R /Rotate 90 /MediaBox [0 0 300 400] /Resources <</Font <</F 5 0 R>>>> /Contents 4 0 R /Annots [7 0 R 8 0 R]>>",
 stream(b"",b"BT /F 1 Tf 0 16 -16 0 60 40 Tm (Ferry table) Tj 0 10 -10 0 90 40 Tm (Departures are listed for the summer season,) Tj"
   b" 0 10 -10 0 102 40 Tm (arrivals are not. Ask at the quay.) Tj ET"),
 helv,
 b"<</Title (table_v3_final.xls)>>",
 b"<</Type /Annot /Subtype /Link /Rect [95 130 105 220] /A <</S /URI /URI (../quay.html#hours)>>>>",
 b"<</Type /Annot /Subtype /Link /Rect [80 40 95 60] /A <</S /URI /URI (javascript:alert\\(1\\))>>>>",
],info=6)
# letters beyond the basic plane, as formulas have them: A, B and C are read as the bold ones of U+1D400, D as
# half of one
pdf("beyond.pdf",[
 b"<</Type /Catalog /Pages 2 0 R>>",
 b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
 b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources <</Font <</F 5 0 R /M 6 0 R>>>> /Contents 4 0 R>>",
 stream(b"",b"BT /F 12 Tf 40 150 Td (The tide ) Tj /M 12 Tf (ABC) Tj /F 12 Tf ( is high, ) Tj /M 12 Tf (D) Tj /F 12 Tf ( is broken.) Tj ET"),
 helv,
 b"<</Type /Font /Subtype /Type1 /BaseFont /Times-Bold /ToUnicode 7 0 R>>",
 stream(b"",b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def /CMapType 2 def\n"
   b"1 begincodespacerange <00> <FF> endcodespacerange\n"
   b"4 beginbfchar <41> <D835DC00> <42> <D835DC01> <43> <D835DC02> <44> <D835> endbfchar\n"
   b"endcmap CMapName currentdict /CMap defineresource pop end end"),
])
