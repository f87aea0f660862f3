-- Lots expire with their card, whose due time has its index, so nothing asks for lots by their time. As long as the database
-- has no statistics this index was taken for finding the lots of a card, and all lots of the project were read.
drop index ledger_lots_by_expiry;
