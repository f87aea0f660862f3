drop table receipts;
