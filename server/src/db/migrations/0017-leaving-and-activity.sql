-- Finds the transactions that take inscriptions out of escrow, and the life of an address, newest first.
-- oldest code: 0013
create index escrows_leaving on escrows (leaving_txid) where (leaving_txid is not null);
create index listings_of_seller on listings (seller_script, listed_at desc, listing_id desc)
  where (state in ('buyable', 'hidden_locked', 'pending_public', 'expired', 'invalidated'));
create index offers_made on offers (created_at desc, offer_id desc);
create index offers_over on offers (ended_at desc) where (ended_at is not null);
create index settlements_swapped on settlements (confirmed_height desc) where (kind = 'swap' and state = 'confirmed');
create index sales_seller on sales (seller_script, sold_at desc, sale_id desc) where (seller_script is not null);
create index sales_buyer on sales (buyer_script, sold_at desc, sale_id desc) where (buyer_script is not null);
