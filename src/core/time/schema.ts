import { type Static, Type } from "typebox";

const nullable = <T>(schema: object, type: string) => Type.Unsafe<T | null>({ ...schema, type: [type, "null"] });
const Days = { type: "array", maxItems: 7, items: { type: "integer", minimum: 0, maximum: 6 } };
const Moment = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], format: "date-time", description });

/** When something is active, as it is sent and shown. What fits together is said by `validityFieldsFault`. */
export const validityFields = {
  start_date: Moment("Active from then on."),
  expiration_date: Moment("Active until then."),
  validity_timeframe: nullable<{ interval: string; duration: string }>(
    {
      title: "ValidityTimeframe",
      properties: { interval: { type: "string", maxLength: 50 }, duration: { type: "string", maxLength: 50 } },
      required: ["interval", "duration"],
      additionalProperties: true,
      description:
        "From `start_date` on, once in every interval, active for the duration. ISO 8601 durations, such as P1W and PT2H.",
    },
    "object",
  ),
  validity_day_of_week: nullable<number[]>({ ...Days, description: "0 is Sunday, 6 is Saturday." }, "array"),
  validity_hours: nullable<{
    daily: { start_time: string; expiration_time: string; days_of_week?: number[] | null }[];
  }>(
    {
      title: "ValidityHours",
      properties: {
        daily: {
          type: "array",
          maxItems: 100,
          items: {
            type: "object",
            properties: {
              start_time: { type: "string", maxLength: 5 },
              expiration_time: { type: "string", maxLength: 5 },
              days_of_week: { ...Days, type: ["array", "null"] },
            },
            required: ["start_time", "expiration_time"],
            additionalProperties: true,
          },
        },
      },
      required: ["daily"],
      additionalProperties: true,
      description: "Times such as 09:00, in the project's zone.",
    },
    "object",
  ),
};

const SetDate = Type.Optional(Type.Unsafe<string>({ type: "string", format: "date-time" }));
/** The same where a campaign is shown: dates that it does not have are left out. Those of codes and tiers are null. */
export const campaignValidityFields = { ...validityFields, start_date: SetDate, expiration_date: SetDate };
export type CampaignValidity = Static<ReturnType<typeof Type.Object<typeof campaignValidityFields>>>;
