import { pageOfVouchers } from "../../../flows/promotions/list-vouchers.ts";
import { changeVoucher } from "../../../flows/promotions/save-voucher.ts";
import { list, read, write } from "../../../http/route.ts";
import {
  ByVoucher,
  ClientVoucher,
  ClientVoucherList,
  ClientVoucherQuery,
  ClientVoucherUpdate,
  type Voucher,
  type VoucherQuery,
} from "./schema.ts";

const view = ({
  code,
  active,
  metadata,
  assets,
  start_date,
  expiration_date,
  created_at,
  object,
}: Voucher): ClientVoucher => ({ code, active, metadata, assets, start_date, expiration_date, created_at, object });

export const clientVoucherRoutes = [
  read(
    "GET /client/v1/vouchers",
    {
      id: "listVouchersClientSide",
      summary: "List codes in a client application",
      query: ClientVoucherQuery,
      ok: ClientVoucherList,
      setting: "client_list_vouchers_enabled",
    },
    async (c) => {
      // The query holds whatever was sent: nothing else is looked for.
      const { limit, page, order, category, campaign, customer, created_at, updated_at } = c.query;
      const query = { limit, page, order, category, campaign, customer, created_at, updated_at };
      return list(await pageOfVouchers(c, query as VoucherQuery), view, "vouchers");
    },
  ),
  write(
    "PUT /client/v1/vouchers/{code}",
    {
      id: "setVoucherExpirationClientSide",
      summary: "Set when a code expires, from a client application",
      description: "Nothing else of the code changes, whatever the body holds.",
      params: ByVoucher,
      body: ClientVoucherUpdate,
      ok: ClientVoucher,
      setting: "client_set_voucher_expiration_date_enabled",
      findsCodes: true,
    },
    async (c) => view(await changeVoucher(c, c.params.code, { expiration_date: c.body.expiration_date })),
  ),
];
