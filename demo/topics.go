package demo

import "strings"

func list(words string) []string { return strings.Split(words, ", ") }

// topicOf makes the topics. People and places are invented, and ASCII, so that every charset can
// write them.
func topicOf(nouns, adjectives, verbs, places, people string) *topic {
	return &topic{
		nouns: list(nouns), adjectives: list(adjectives), verbs: list(verbs), places: list(places),
		people: list(people),
	}
}

func databases() *topic {
	return topicOf("query plan, view, index, warehouse, schema, wrapper, repository, change log, version, "+
		"document store, path expression, integrity rule, label, subscription",
		"semistructured, incremental, distributed, materialised, declarative, temporal, redundant, "+
			"ordered, partial, cached",
		"indexed, rewritten, monitored, crawled, merged, refreshed, annotated, evaluated, published",
		"Rocqueville, the north wing, Saclay Bay, the reading group, the Osage cluster, the second workshop",
		"Mireille Astier, Serge Aubry, Tova Milner, Victor Vianney, Grigore Cobza, Amelie Marsan")
}

func manuals() *topic {
	return topicOf("option, loader, command, configuration file, parser, connector, plug-in, batch, "+
		"session, buffer, cursor, trigger, log line, error code",
		"optional, default, portable, deprecated, verbose, strict, recursive, asynchronous, quoted, reserved",
		"installed, configured, compiled, restarted, upgraded, logged, escaped, scheduled, tested",
		"the staging server, the release branch, the command line, the second tutorial, the nightly build",
		"the maintainer, Paula Quint, Ilie Moraru, the release manager, Jon Treadwell")
}

func mapmaking() *topic {
	return topicOf("projection, meridian, contour, survey, gazetteer, sheet, legend, sounding, bench mark, "+
		"chart, triangle, hachure, scale bar, ferry line",
		"conformal, coastal, engraved, folded, uncharted, metric, outdated, magnetic, shaded, tidal",
		"surveyed, drawn, printed, corrected, tinted, levelled, plotted, traced, bound",
		"the Harrow Isles, Port Merrin, the Upland Plateau, Cape Dorn, Low Fen, the Salt Coast",
		"Captain Ruddle, Ines Calloway, the Hydrographic Office, Professor Thorne, Olaf Brandt")
}

func lanterns() *topic {
	return topicOf("lantern, slide, lens, burner, screen, projectionist, dissolve, mask, condenser, "+
		"lecturer, ghost show, lecture, limelight, hand-painted glass",
		"japanned, mahogany, three-tiered, luminous, comic, mechanical, sooty, panoramic, "+
			"educational, phantom",
		"projected, painted, restored, catalogued, exhibited, photographed, auctioned, repaired, donated",
		"Bristow Hall, the Polytechnic, Oldgate, the Pier Pavilion, Saint Brannock, the Mechanics Institute",
		"Madame Estelle, Silas Pepperdine, Walter Greave, the Reverend Finch, Agnes Holloway")
}

func birds() *topic {
	return topicOf("warbler, wader, nest box, heron, ringing station, flock, owl, feather, kestrel, tern, "+
		"migrant, hide, spotting scope",
		"juvenile, speckled, rare, wintering, noisy, solitary, coastal, ringed, moulting, elusive",
		"counted, ringed, sighted, recorded, photographed, released, mistaken, heard",
		"Mudlark Creek, the sewage farm, Gull Point, Hazel Wood, the reservoir",
		"Anna, Uncle Piet, the warden, Marguerite, old Tomas")
}

func chess() *topic {
	return topicOf("gambit, endgame, rook, knight, blunder, opening, sacrifice, pawn chain, fork, bishop "+
		"pair, correspondence game, tournament, combination",
		"passed, backward, sharp, drawn, quiet, symmetrical, dubious, hypermodern, forced, isolated",
		"analysed, refuted, played, adjourned, declined, exchanged, defended, published",
		"the Riga club, table nine, Hastings Road, the winter open, the railway cafe",
		"Boris, Master Kolnik, Judit Varga, the arbiter, Lev Aronov")
}

func bread() *topic {
	return topicOf("roll, sourdough, starter, crust, oven, flour sack, oatcake, proofing basket, dough, "+
		"crumb, baker, baguette, millstone",
		"wholemeal, sticky, crusty, slow, overproofed, golden, dense, airy, salted, rustic",
		"kneaded, baked, folded, fermented, sliced, scored, weighed, cooled",
		"the village mill, Clara's kitchen, the Saturday market, the wood oven, Lower Brook",
		"Clara, the miller, Aunt Rosa, Henk, the apprentice")
}

func radio() *topic {
	return topicOf("receiver, antenna, valve, transmitter, beacon, call sign, capacitor, dipole, log book, "+
		"repeater, noise floor, crystal, morse key",
		"shortwave, tuned, portable, crackling, homemade, resonant, directional, shielded, unstable, narrow",
		"soldered, received, tuned, logged, earthed, amplified, decoded, rebuilt",
		"forty metres, the water tower, Novaya Gora, the attic, the field day",
		"Dmitri, Station Zero, Pavel, the club secretary, Irina")
}

func clocks() *topic {
	return topicOf("pendulum, escapement, dial, mainspring, chime, longcase clock, balance wheel, winding "+
		"key, carillon, pivot, regulator, cuckoo, fusee",
		"brass, eight-day, striking, enamelled, silent, antique, precise, worn, gilded, weight-driven",
		"wound, oiled, regulated, polished, dismantled, repaired, dated, set",
		"the town hall, Emil's bench, Black Valley, the auction room, the lighthouse",
		"Emil, Master Huber, the sexton, Frau Lenz, Abel Crane")
}

func books() *topic {
	return topicOf("manuscript, catalogue card, folio, binding, shelf mark, incunable, pamphlet, reading "+
		"room, bookplate, periodical, donor, microfilm",
		"bound, uncut, foxed, anonymous, illustrated, rare, misplaced, octavo, annotated, duplicate",
		"catalogued, shelved, rebound, lent, digitised, bequeathed, collated, fumigated",
		"the east stack, the cloister, the map room, Saint Alban's, the depository",
		"the librarian, Canon Whitby, Doctor Levene, Miss Prentice")
}

func travel() *topic {
	return topicOf("night train, harbour, guest house, footpath, ferry, timetable, mountain hut, suitcase, "+
		"border post, bakery, postcard, bridge",
		"rainy, crowded, cheap, forgotten, delayed, sunlit, narrow, famous, overgrown, foggy",
		"missed, photographed, recommended, closed, booked, crossed, repainted, visited",
		"Vallorbe, Port Merrin, the old town, Karst Junction, the last stop",
		"a stranger, my sister, the conductor, Benedikt, the innkeeper")
}

func parish() *topic {
	return topicOf("choir, bazaar, sermon, bell, vestry, hymn, harvest supper, collection, garden "+
		"fete, organ",
		"annual, joyful, postponed, sunlit, modest, musical",
		"rehearsed, announced, held, celebrated, postponed",
		"the parish hall, the churchyard, Saint Odo's",
		"the vicar, Mrs Partridge, the organist, the bell ringers")
}
