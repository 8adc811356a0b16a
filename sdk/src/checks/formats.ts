import { text } from './check.ts'

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i
/** Group 1 is an IPv6 address. */
const URI =
  /^[a-z][a-z0-9+\-.]*:(?:\/\/(?:(?:[-a-z0-9._~!$&'()*+,;=:]|%[0-9a-f]{2})*@)?(?:(\[[0-9a-f:.]+\])|(?:[-a-z0-9._~!$&'()*+,;=]|%[0-9a-f]{2})*)(?::\d*)?(?:\/(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*|\/(?:(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})+(?:\/(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*)?|(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})+(?:\/(?:[-a-z0-9._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*)?(?:\?(?:[-a-z0-9._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?(?:#(?:[-a-z0-9._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?$/i

const SECONDS_OF_DAY = 86_400

const matching =
  (format: string, matches: (value: string) => boolean) =>
  (value: unknown): string | null =>
    text(value) ?? (matches(value as string) ? null : ` must match format "${format}"`)

function isDateTime(value: string): boolean {
  const [, date, minute, second, zone] = DATE_TIME.exec(value) ?? []
  const midnight = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date!)) return false
  // A leap second is the last second of a day in UTC.
  const last = Date.parse(`${date}T${minute}:59${zone!.toUpperCase()}`) / 1000 + 1
  return second !== '60' || last % SECONDS_OF_DAY === 0
}

function isUri(value: string): boolean {
  const [whole, ipv6] = URI.exec(value) ?? []
  return whole !== undefined && (ipv6 === undefined || URL.canParse(`http://${ipv6}`))
}

export const uuid = /* @__PURE__ */ matching('uuid', (value) => UUID.test(value))

/** RFC 3339. */
export const dateTime = /* @__PURE__ */ matching('date-time', isDateTime)

/** RFC 3986, without IPvFuture. */
export const uri = /* @__PURE__ */ matching('uri', isUri)
