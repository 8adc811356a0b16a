-- oldest code: 0011
-- The book by expiry (`GET /listings?sort=expiring`), of the market and of a collection; listings without an expiry come last.
create index listings_soonest on listings (coalesce(expires_at, 'infinity'::timestamptz), listing_id) where state = 'buyable';
create index book_entries_soonest on book_entries (collection_id, coalesce(expires_at, 'infinity'::timestamptz), listing_id)
  where closed_at is null;
