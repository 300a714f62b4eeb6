package configs

import (
	"reflect"
	"sync"
)

// Default is a harvest with every default and nothing that is required: no name, no operator, no
// site. The defaults are those of reference.yaml, which has the reason of each. Its lists are shared
// by all harvests, and not to be changed.
func Default() Harvest {
	h, _ := defaultsOf()
	return h
}

// defaultSite is a site with every default and nothing that is required.
func defaultSite() Site {
	_, s := defaultsOf()
	return s
}

// defaultsOf reads reference.yaml without what it shows by an example: that it can be read, and that
// it has every key, is held by a test.
var defaultsOf = sync.OnceValues(func() (h Harvest, s Site) {
	d, root, _ := document("reference.yaml", Reference())
	d.structure("", root, reflect.ValueOf(&h).Elem())
	s = h.Sites[0]
	s.Name, s.Seeds, s.Links = "", nil, nil
	h.Harvest, h.Operator, h.Sites = "", Operator{}, nil
	h.Politeness.Hosts, h.Network.Resolve, h.Copies.Alias = nil, nil, nil
	return h, s
})
