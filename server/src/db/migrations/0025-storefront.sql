-- What the pages of the storefront look for: what happened last, and what is inscribed on a sat.
create index order_events_recent on order_events (occurred_at desc);
create index sales_time on sales (sold_at desc);
create index inscriptions_sat on inscriptions (sat, sequence) where sat is not null;
