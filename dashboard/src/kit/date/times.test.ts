import assert from "node:assert/strict";
import { test } from "node:test";
import { ALWAYS, areBackwards, daysSay, timesOf, validityOf } from "./times.ts";

test("times: what was set is what the form holds, and what it sends is the same", () => {
  for (const validity of [
    { validity_day_of_week: null, validity_hours: null },
    { validity_day_of_week: [0, 6], validity_hours: null },
    {
      validity_day_of_week: [1],
      validity_hours: { daily: [{ start_time: "17:00", expiration_time: "19:00" }] },
    },
  ])
    assert.deepEqual(validityOf(timesOf(validity)), validity);
});

test("times: hours that differ by day are kept, and never sent", () => {
  const daily = [{ start_time: "08:00", expiration_time: "10:00", days_of_week: [1] }];
  const times = timesOf({ validity_day_of_week: null, validity_hours: { daily } });
  assert.equal(times.isKept, true);
  assert.deepEqual(validityOf({ ...times, days: [2] }), { validity_day_of_week: [2] });
});

test("times: an hour that is left open ends with the day, and the end comes after the start", () => {
  const evening = { ...ALWAYS, from: "17:00" };
  assert.deepEqual(validityOf(evening).validity_hours?.daily, [{ start_time: "17:00", expiration_time: "23:59" }]);
  assert.deepEqual(
    [areBackwards(evening), areBackwards({ ...evening, to: "16:00" }), areBackwards(ALWAYS)],
    [false, true, false],
  );
});

test("times: days are said from Monday on", () => assert.equal(daysSay([0, 6, 5]), "Friday, Saturday and Sunday"));
