alter table inscriptions
  -- an inscription whose sat was not in a coin when it was made
  add column born_in text check (born_in in ('op_return', 'lost'));
