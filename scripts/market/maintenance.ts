import type { Sql } from '@ordbook/db/driver/connect.ts'
import {
  beginMaintenance,
  endMaintenance,
  findMaintenance,
} from '@ordbook/operations/status/maintenance-queries.ts'

const MAX_NOTICE = 300

/** Begins or ends maintenance, or without `verb` prints whether it is on. Throws an error for an invalid notice. */
export async function setMaintenance(sql: Sql, verb: string | undefined, notice?: string): Promise<void> {
  if (notice !== undefined && verb !== 'on') throw new Error('--notice is only for maintenance on')
  if (verb === undefined) {
    const current = await findMaintenance(sql)
    return console.log(
      current
        ? `maintenance is on since ${current.since.toISOString()}: ${current.notice ?? 'no notice'}`
        : 'maintenance is off',
    )
  }
  if (verb === 'on') {
    await beginMaintenance(sql, notice === undefined ? null : noticeOf(notice))
    return console.log(
      'maintenance is on: within two seconds, trading writes are rejected. Cancelling, declining and withdrawing still work.',
    )
  }
  if (verb !== 'off')
    throw new Error(`maintenance ${verb}: unknown, expected maintenance on or maintenance off`)
  console.log(
    (await endMaintenance(sql))
      ? 'maintenance is off: trading opens within two seconds'
      : 'maintenance was not on',
  )
}

function noticeOf(text: string): string {
  const notice = text.trim()
  if (notice === '' || notice.length > MAX_NOTICE || /\p{Cc}/u.test(notice))
    throw new Error(`--notice: expected 1 to ${MAX_NOTICE} characters in one line`)
  return notice
}
