-- Computes the availability of proposals after locking them.
-- oldest code: 0001

-- install: proposals.sql de1a1894ef5e
