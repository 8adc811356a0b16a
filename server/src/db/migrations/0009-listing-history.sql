-- The listings of an inscription at any time: what the floors of a day and a week ago are read from.
create index listings_inscription on listings (inscription_id, listed_at);
