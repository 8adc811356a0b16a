-- oldest code: 0001

-- Why an operator has explained a transaction that this market did not write.
alter table market_causes add column reason text;
