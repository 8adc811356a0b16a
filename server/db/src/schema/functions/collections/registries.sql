-- Makes registry_changes append-only.

create or replace trigger registry_changes_append_only before update or delete or truncate on registry_changes
  for each statement execute function refuse_change();
