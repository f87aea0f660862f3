import { codeFault } from "../core/codes/code.ts";
import { type CodeConfig, codeTemplate, createCodeMaker } from "../core/codes/generate.ts";
import { ApiError } from "../core/errors.ts";
import type { WriteCtx } from "../ctx.ts";
import { defaultCharsetOf } from "../resources/projects/store.ts";
import { insertVouchers, type NewVoucher, takeStamps, type VoucherRow } from "../resources/vouchers/store.ts";

const ATTEMPTS = 20;

type Wanted = Omit<NewVoucher, "id" | "code"> & ({ code: string } | { code_config: CodeConfig });

/**
 * Creates one code: the given one, or one that is made and free. 409 `duplicate_found` when the given one is taken, 400
 * `invalid_code_config` when none can be made.
 */
export async function createVoucher(c: WriteCtx, wanted: Wanted): Promise<VoucherRow> {
  const at = await takeStamps(c.db, c.project.id, { now: c.now });
  if ("code" in wanted) {
    const details = codeFault(wanted.code);
    if (details !== null) throw new ApiError("invalid_payload", { details });
    const [row] = await insertVouchers(c.db, c.project, [{ ...wanted, id: c.newId("v") }], at);
    if (row) return row;
    throw new ApiError("duplicate_found", {
      details: `Duplicated voucher exists with id ${wanted.code}`,
      resource_id: wanted.code,
      resource_type: "voucher",
    });
  }
  const { code_config, ...rest } = wanted;
  const template = codeTemplate(code_config, await defaultCharsetOf(c.db, c.project.id));
  if ("fault" in template) throw new ApiError("invalid_code_config", { details: template.fault });
  const make = createCodeMaker(template, () => Buffer.from(c.newSecret(), "hex"));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const [row] = await insertVouchers(c.db, c.project, [{ ...rest, id: c.newId("v"), code: make() }], at);
    if (row) return row;
  }
  throw new ApiError("invalid_code_config", {
    details: `No free code was found in ${ATTEMPTS} attempts: make the pattern longer or the charset larger`,
  });
}
