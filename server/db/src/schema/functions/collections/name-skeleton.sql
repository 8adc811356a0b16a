-- Names that look the same.

-- Each row is a Latin letter and characters that look like it: the confusables of Unicode TS 39 that fake collection names use
-- (Cyrillic, Greek, Armenian, Cherokee, small capitals, letter emoji), and digits for letters. A row has at most one digit, so that
-- names that differ in a number stay distinct.
create or replace function name_skeleton(name text) returns text language plpgsql immutable strict parallel safe as $$
declare
  skeleton text := normalize(left(name, 200), nfkd);
  alike text;
begin
  foreach alike in array array[
    'aаАαΑɑᴀᎪ@4🅰', 'bВβΒßʙᏼƅЬь₿8🅱', 'cсСᴄᏟϲ', 'dԁᴅᎠđĐ', 'eеЕεΕᴇᎬєЄ3', 'fꜰƒ', 'gɡɢԌց9', 'hНнһΗʜᎻհħĦ', 'jјЈᴊᎫ', 'kКкΚκᴋᏦ',
    'lıІіΙιɩɪӀӏʟᏞłŁ1', 'mМмΜᴍᎷ', 'nηΝпոɴ', 'oоОοΟσоօᴏøØ0🅾', 'pрРρΡᴘᏢ🅿', 'qԛ', 'rгʀ', 'sѕЅꜱᏚ5', 'tТтΤτᴛᎢŧŦ7', 'uυսᴜ', 'vѵνᴠᏙ',
    'wԝωᴡᏔ', 'xхХχΧ', 'yуУүΥγʏᎩ', 'zΖᴢᏃ2'] loop
    skeleton := translate(skeleton, substr(alike, 2), repeat(left(alike, 1), length(alike) - 1));
  end loop;
  -- A punctuation mark between letters replaces a letter.
  skeleton := regexp_replace(lower(skeleton), '(?<=[a-z])[!|](?=[a-z])', 'l', 'g');
  skeleton := regexp_replace(translate(skeleton, 'i', 'l'), '(?<=[a-z$])\$(?=[a-z$])', 's', 'g');
  -- Accents, spaces, punctuation and invisible characters.
  skeleton := regexp_replace(skeleton,
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a0\u00a8\u00ad\u00b4\u00b7\u0300-\u036f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u2000-\u206f\u20d0-\u20ff\u3000\u30fb\u3164\ufe00-\ufe2f\ufeff\uffa0\U000e0000-\U000e0fff]+',
    '', 'g');
  return left(replace(replace(skeleton, 'rn', 'm'), 'vv', 'w'), 200);
end $$;
comment on function name_skeleton is
  'A name without differences that readers overlook: case, accents, spaces, punctuation, look-alike characters.';
