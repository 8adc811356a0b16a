-- Search texts of items, traits and collections: a name, starting at one of its words. Indexes store their values.

-- Lower case, with one space for punctuation and around symbols such as emoji. Calls no other function of this schema: ANALYZE
-- evaluates index expressions with a search path that does not include it.
create or replace function search_phrase(name text, word integer) returns text language plpgsql immutable strict parallel safe as $$
declare
  words text[] := string_to_array(btrim(regexp_replace(
    regexp_replace(lower(normalize(left(name, 200), nfkc)), '([\u2190-\u2bff\U0001f000-\U0001faff])', ' \1 ', 'g'),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f\ufe00-\ufe0f]+', ' ', 'g')), ' ');
  most integer := cardinality(words);
begin
  if word = 0 then return case when most > 3 then left(words[most], 40) end; end if;
  return case when word <= most then left(array_to_string(words[word:], ' '), 40) end;
end $$;
comment on function search_phrase is
  'A name from its first, second or third word on (1 to 3), or its last word if that comes later (0). Null if there is no such word.';
