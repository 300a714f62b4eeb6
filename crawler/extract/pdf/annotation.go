package pdf

// annotations tells of the addresses to which the annotations of a page lead.
func (f *file) annotations(page dict, link func(string)) {
	if link == nil {
		return
	}
	for _, v := range f.list(page["Annots"]) {
		if !f.spend(partCost) { // many pages may have one list
			return
		}
		action := f.dict(f.dict(v)["A"])
		if address, ok := f.resolve(action["URI"]).(text); ok && f.name(action["S"]) == "URI" {
			link(string(address))
		}
	}
}
