import { removeVoucher } from "../../../flows/platform/bin.ts";
import { addManyVouchers, addVoucher } from "../../../flows/promotions/add-vouchers.ts";
import { pageOfVouchers, readVoucher } from "../../../flows/promotions/list-vouchers.ts";
import { changeVoucher, makeVoucher, releaseVoucher, switchVoucher } from "../../../flows/promotions/save-voucher.ts";
import { checkedEntries } from "../../../http/bulk/entries.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { enqueueUpdates } from "../../../steps/bulk/updates.ts";
import { BULK_BYTES_MAX, Enqueued } from "../../platform/async-actions/schema.ts";
import {
  ByNewCode,
  ByNewCodeOfCampaign,
  BySession,
  ByVoucher,
  CountQuery,
  OfCampaign,
  VoucherAdd,
  VoucherAddWithCode,
  VoucherBulk,
  VoucherCreate,
  VoucherCreateWithCode,
  VoucherDelete,
  VoucherInBulk,
  VoucherList,
  VoucherQuery,
  VouchersMetadata,
  VoucherUpdate,
  VoucherWithRules,
} from "./schema.ts";

export const voucherRoutes = [
  read(
    "GET /v1/vouchers",
    { id: "listVouchers", summary: "List codes", query: VoucherQuery, ok: VoucherList },
    async (c) => list(await pageOfVouchers(c, c.query), (voucher) => voucher, "vouchers"),
  ),
  write(
    "POST /v1/vouchers",
    {
      id: "createVoucher",
      summary: "Create a code",
      description:
        "With the `code` that is sent, or a random one as `code_config` says. Its type follows from the one value it has: `discount`, `gift` or `loyalty_card`. In a campaign what is not sent is the campaign's.",
      body: VoucherCreate,
      ok: VoucherWithRules,
    },
    async (c) => makeVoucher(c, c.body),
  ),
  write(
    "POST /v1/vouchers/bulk/async",
    {
      id: "updateVouchersInBulk",
      summary: "Update the metadata of many codes",
      description:
        "A code that is not there is not created. Done by an async action: its result has the address of a CSV with a line for each, whether it was `found` and `updated`.",
      body: VoucherBulk,
      bodyLimitBytes: BULK_BYTES_MAX,
      status: 202,
      ok: Enqueued,
    },
    async (c) => enqueueUpdates(c, "VOUCHERS.BULK_UPDATE", { entries: checkedEntries(VoucherInBulk, c.body, "code") }),
  ),
  write(
    "POST /v1/vouchers/metadata/async",
    {
      id: "updateVouchersMetadataInBulk",
      summary: "Give many codes the same metadata",
      description: "As `POST /v1/vouchers/bulk/async`. The metadata is merged with what each of them has.",
      body: VouchersMetadata,
      bodyLimitBytes: BULK_BYTES_MAX,
      status: 202,
      ok: Enqueued,
    },
    async ({ body: { codes, metadata }, ...c }) =>
      enqueueUpdates(c, "VOUCHERS.METADATA_UPDATE", { entries: codes.map((value) => ({ value })), metadata }),
  ),
  write(
    "POST /v1/vouchers/{code}",
    {
      id: "createVoucherWithCode",
      summary: "Create the code that the path names",
      params: ByNewCode,
      body: VoucherCreateWithCode,
      ok: VoucherWithRules,
    },
    async (c) => makeVoucher(c, { ...c.body, code: c.params.code }),
  ),
  read(
    "GET /v1/vouchers/{code}",
    { id: "getVoucher", summary: "Read a code", params: ByVoucher, ok: VoucherWithRules },
    async (c) => readVoucher(c, c.params.code),
  ),
  write(
    "PUT /v1/vouchers/{code}",
    {
      id: "updateVoucher",
      summary: "Update a code",
      description:
        "What is not sent stays as it is; null takes a value away; metadata is merged key by key. The kind of its discount and its balance do not change here. A code of a campaign keeps the settings that it has then, whatever the campaign gets later. Uses, publications and credits are in no version of a code.",
      params: ByVoucher,
      body: VoucherUpdate,
      ok: VoucherWithRules,
    },
    async (c) => changeVoucher(c, c.params.code, c.body),
  ),
  write(
    "DELETE /v1/vouchers/{code}",
    {
      id: "deleteVoucher",
      summary: "Delete a code",
      description: "In the bin the code stays taken; with `force` it is free again.",
      params: ByVoucher,
      query: VoucherDelete,
      ok: Empty,
    },
    async (c) => removeVoucher(c, c.params.code, c.query.force ?? false),
  ),
  write(
    "POST /v1/vouchers/{code}/enable",
    { id: "enableVoucher", summary: "Enable a code", params: ByVoucher, ok: VoucherWithRules },
    async (c) => switchVoucher(c, c.params.code, true),
  ),
  write(
    "POST /v1/vouchers/{code}/disable",
    { id: "disableVoucher", summary: "Disable a code", params: ByVoucher, ok: VoucherWithRules },
    async (c) => switchVoucher(c, c.params.code, false),
  ),
  write(
    "DELETE /v1/vouchers/{code}/sessions/{sessionKey}",
    {
      id: "releaseVoucherSession",
      summary: "Give back what a session holds of a code",
      params: BySession,
      ok: Empty,
    },
    async (c) => releaseVoucher(c, c.params.code, c.params.sessionKey),
  ),
  write(
    "POST /v1/campaigns/{campaignId}/vouchers",
    {
      id: "addVouchersToCampaign",
      summary: "Add codes to a campaign",
      description: "One code is the answer; more are made by an async action. What is not sent is the campaign's.",
      params: OfCampaign,
      query: CountQuery,
      body: VoucherAdd,
      ok: VoucherWithRules,
      accepted: Enqueued,
    },
    async (c) => {
      const { vouchers_count = 1 } = c.query;
      if (vouchers_count > 1) return addManyVouchers(c, c.params.campaignId, c.body, vouchers_count);
      return addVoucher(c, c.params.campaignId, c.body);
    },
  ),
  write(
    "POST /v1/campaigns/{campaignId}/vouchers/{code}",
    {
      id: "addVoucherToCampaign",
      summary: "Add the code that the path names to a campaign",
      params: ByNewCodeOfCampaign,
      body: VoucherAddWithCode,
      ok: VoucherWithRules,
    },
    async (c) => addVoucher(c, c.params.campaignId, { ...c.body, code: c.params.code }),
  ),
];
