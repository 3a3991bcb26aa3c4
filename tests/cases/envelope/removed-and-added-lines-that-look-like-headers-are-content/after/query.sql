select 1
-- another comment
