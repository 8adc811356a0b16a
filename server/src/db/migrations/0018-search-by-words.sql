-- Finds items, traits and collections by the words of their names, and inscriptions by their number.
-- oldest code: 0013
-- install: search-phrases.sql a6eaa6a104b8
create index collection_items_word_1 on collection_items (search_phrase(item_name, 1) collate "C");
create index collection_items_word_2 on collection_items (search_phrase(item_name, 2) collate "C");
create index collection_items_word_3 on collection_items (search_phrase(item_name, 3) collate "C");
create index collection_items_last_word on collection_items (search_phrase(item_name, 0) collate "C");
create index trait_counts_word_1 on trait_counts (search_phrase(trait_value, 1) collate "C");
create index trait_counts_word_2 on trait_counts (search_phrase(trait_value, 2) collate "C");
create index collections_word_1 on collections (search_phrase(name, 1) collate "C");
create index collections_word_2 on collections (search_phrase(name, 2) collate "C");
create index collections_word_3 on collections (search_phrase(name, 3) collate "C");
create index collections_slug_words on collections (search_phrase(slug, 1) collate "C");
create index inscriptions_number on inscription_rows (inscription_number);
