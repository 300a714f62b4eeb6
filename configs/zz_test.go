package configs
import ("testing";"fmt")
func TestRef(t *testing.T){ h,err:=Parse("reference.yaml",Reference()); if err!=nil{t.Fatal(err)}; for _,o:=range h.Effective(){fmt.Println(o)} 
_,err=Parse("bad.yaml",[]byte("harvest: a/b\noperator: {name: 3, contact: foo@bar.org}\nsites:\n  - name: x\n    seed: [www.x.org]\n    seeds: [www.x.org, http://]\n    include: [hots:a, http://(org,a,]\n    limits: {pages: many, bytes: 3 parsecs}\n    boundary: logicl\npoliteness:\n  min_dealy: 2\n  max_delay: 2\n  robots: ignore\n  warc_size: 1GB\n  hosts:\n  - match:\nharvest: b\n"))
fmt.Println(err)
}
