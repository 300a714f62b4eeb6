package sitemap

// Variant is the recommended method with parts of it off or on.
type Variant struct {
	Name    string
	Options Options
}

// module of the method that can be taken out and put back.
type module struct {
	name    string
	off, on func(*Options)
}

// modules of some options. The first bare ones are what the shares do without; the others serve the shares and the flow themselves.
func modules(all Options) (list []module, bare int) {
	return []module{
		{"edit distance", func(o *Options) { o.Similarity = Constant }, func(o *Options) { o.Similarity = EditDistance }},
		{"MCL soft sources", func(o *Options) { o.ClusterSource = -1 }, func(o *Options) { o.ClusterSource = all.ClusterSource }},
		{"lean", func(o *Options) { o.Lean = -1 }, func(o *Options) { o.Lean = all.Lean }},
		{"kinship", func(o *Options) { o.Kinship = -1 }, func(o *Options) { o.Kinship = all.Kinship }},
		{"prior", func(o *Options) { o.Prior, o.StrangerPrior = -1, -1 }, func(o *Options) { o.Prior, o.StrangerPrior = all.Prior, all.StrangerPrior }},
		{"wards", func(o *Options) { o.WardSample = -1 }, func(o *Options) { o.WardSample = all.WardSample }},
		{"lists", func(o *Options) { o.ListSample = -1 }, func(o *Options) { o.ListSample = all.ListSample }},
		{"documents", func(o *Options) { o.Documents = -1 }, func(o *Options) { o.Documents = all.Documents }},
		{"MCL", func(o *Options) { o.Clusters = NoClusters }, func(o *Options) { o.Clusters = all.Clusters }},
		{"names", func(o *Options) { o.StrangerPrior = o.withDefaults().Prior }, func(o *Options) { o.StrangerPrior = all.StrangerPrior }},
		{"reciprocity", func(o *Options) { o.OneSided = true }, func(o *Options) { o.OneSided = false }},
		{"template discount", func(o *Options) { o.PlainCounts = true }, func(o *Options) { o.PlainCounts = false }},
		{"anchors", func(o *Options) { o.AnchorMass = 1 }, func(o *Options) { o.AnchorMass = all.AnchorMass }},
		{"soft prefix", func(o *Options) { o.Soft = -1 }, func(o *Options) { o.Soft = all.Soft }},
		{"reverse arcs", func(o *Options) { o.Reverse = -1 }, func(o *Options) { o.Reverse = all.Reverse }},
		{"bundles", func(o *Options) { o.Bundle = 1000 }, func(o *Options) { o.Bundle = all.Bundle }},
		{"probes", func(o *Options) { o.Probes = -1 }, func(o *Options) { o.Probes = all.Probes }},
	}, 8
}

// Ablation gives the variants of some options that show what each part contributes: all parts; each part off; each part on
// its own, over shares alone; and the parts that are off by default, on. Texts have no part in it unless the truth has sketches.
func Ablation(all Options) []Variant {
	list, bare := modules(all)
	with := func(name string, change ...func(*Options)) Variant {
		o := all
		for _, f := range change {
			f(&o)
		}
		return Variant{name, o}
	}
	variants := []Variant{with("all (recommended)")}
	for _, p := range list {
		variants = append(variants, with("without "+p.name, p.off))
	}
	var off []func(*Options)
	for _, p := range list[:bare] {
		off = append(off, p.off)
	}
	variants = append(variants, with("shares alone", off...))
	for _, p := range list[:bare] {
		variants = append(variants, with("shares + "+p.name, append(off[:len(off):len(off)], p.on)...))
	}
	return append(variants,
		with("all, edit distance between blocks too", func(o *Options) { o.Similarity = EditEverywhere }),
		with("all, texts for edit distance", func(o *Options) { o.Similarity = Resembling }),
		with("all, texts between blocks too", func(o *Options) { o.Similarity = ResemblingEverywhere }),
		with("all, MCL as a veto", func(o *Options) { o.Clusters = Veto }))
}

// Method is the variant as a method to be compared.
func (v Variant) Method() Method {
	return Method{v.Name, func(e *Evaluation, s TruthSite) (inside, fetched []int32) { return e.found(s, v.Options) }}
}
