import type { CardEntry } from "../../../core/loyalty/card/card.ts";
import { localDate } from "../../../core/time/calendar.ts";
import { zoneOf } from "../../../core/time/zone.ts";
import { listActivities } from "../../../events/activities.ts";
import { readCard } from "../../../flows/loyalty-v2/read-memberships.ts";
import { cursorList, read } from "../../../http/route.ts";
import { ActivityQuery, activityListOf } from "../../../http/schemas.ts";
import { CARD_TRANSACTIONS, cardTransactionView } from "../../../steps/points/card-transactions.ts";
import { listCardEntries, listPendingBuckets, listPointsBuckets } from "./lists-store.ts";
import {
  ByCard,
  CardTransactionList,
  CardTransactionQuery,
  PendingBucketList,
  PendingBucketQuery,
  PointsBucketList,
  PointsBucketQuery,
} from "./schema.ts";

const ACTIVITIES = { id: "lacrd", cursor: "lcrsacrd", field: "card_id" } as const;
const KINDS = Object.keys(CARD_TRANSACTIONS);
const CARD = "/v2/loyalties/programs/{programId}/members/{memberId}/cards/{cardId}";
const today = (c: { now: string; project: { timezone: string } }) => localDate(c.now, zoneOf(c.project)).toString();
const same = <T>(row: T): T => row;

export const loyaltyCardRoutes = [
  read(
    `GET ${CARD}/activities`,
    {
      id: "listCardActivities",
      summary: "List what happened to a card",
      params: ByCard,
      query: ActivityQuery,
      ok: activityListOf("card_id"),
    },
    async (c) => {
      const { card } = await readCard(c, c.params);
      return cursorList(await listActivities(c, { list: ACTIVITIES, of: card.id }, c.query), same);
    },
  ),
  read(
    `GET ${CARD}/transactions`,
    {
      id: "listCardTransactions",
      summary: "List the movements of points on a card",
      params: ByCard,
      query: CardTransactionQuery,
      ok: CardTransactionList,
    },
    async (c) => {
      const { card } = await readCard(c, c.params);
      return cursorList(await listCardEntries(c.db, { ...c, card, kinds: KINDS }, c.query), (entry) =>
        cardTransactionView(card, entry as CardEntry),
      );
    },
  ),
  read(
    `GET ${CARD}/pending-points`,
    {
      id: "listCardPendingPoints",
      summary: "List points of a card that wait",
      params: ByCard,
      query: PendingBucketQuery,
      ok: PendingBucketList,
    },
    async (c) => {
      const { card } = await readCard(c, c.params);
      return cursorList(await listPendingBuckets(c.db, { ...c, card, today: today(c) }, c.query), same);
    },
  ),
  read(
    `GET ${CARD}/expiring-points`,
    {
      id: "listCardExpiringPoints",
      summary: "List points of a card that expire",
      params: ByCard,
      query: PointsBucketQuery,
      ok: PointsBucketList,
    },
    async (c) => {
      const { member, card } = await readCard(c, c.params);
      const customerId = member.customer_id ?? "";
      return cursorList(await listPointsBuckets(c.db, { ...c, card, customerId, today: today(c) }, c.query), same);
    },
  ),
];
