-- The floor history of a collection is computed in n log n steps: a rebuild of 100,000 listings did not come to an end.
-- oldest code: 0013

-- install: collection-floors.sql 3081e790569b
