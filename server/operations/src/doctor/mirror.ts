import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isHeld } from '@ordbook/process/process-lock.ts'
import { Copy, type Identity } from '../mirror/copy.ts'
import { upstreamOf } from '../mirror/upstream.ts'
import { HEAD_FILE, isSigned, readHeadOf, type SignedHead } from '../order-log/copy.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

const ABOUT = 'mirror'
const START = 'Start it: ordbook market mirror URL FOLDER. Its log has the reason if it stops'

/**
 * Examines a mirror's folder, with or without a running mirror, and changes nothing. `url` is the market's address, used to compute the
 * lag; null: skip that. Never throws.
 */
export async function examineMirror(folder: string, url: string | null, now: Date): Promise<Finding[]> {
  try {
    const identity = await Copy.identityOf(folder)
    if (!identity) return [fault(ABOUT, `${folder} holds no copy of a market`, START)]
    if (Copy.hasFork(folder))
      return [
        fault(
          ABOUT,
          `the market ${identity.market} has signed two histories, and nothing is copied any more; fork.json holds the proof`,
          'Ask its operator whether the market was restored from a backup. Keep this folder, and begin in a new one (docs/how-to/mirror-a-market.md)',
        ),
      ]
    const head = readHeadOf(folder, identity)
    return [
      headFinding(folder, identity, head, now),
      (await isHeld(folder, 'mirror')) === false
        ? fault(ABOUT, `no mirror runs on ${folder}`, START)
        : ok(ABOUT, `a mirror runs on ${folder}`),
      ...(url === null ? [] : [await lagFinding(url, identity, head)]),
    ]
  } catch (error) {
    return [
      fault(ABOUT, (error as Error).message, 'Put the folder back from a backup, or begin in a new one'),
    ]
  }
}

function headFinding(folder: string, identity: Identity, head: SignedHead | null, now: Date): Finding {
  const of = `the market ${identity.market} on ${identity.network}`
  if (!head)
    return warning(ABOUT, `${of} has signed for no change of this copy yet`, 'See the log of the mirror')
  const seconds = Math.max(0, (now.getTime() - statSync(join(folder, HEAD_FILE)).mtimeMs) / 1000)
  return ok(ABOUT, `${head.position} changes signed by ${of}, the last copied ${ageOf(seconds)} ago`)
}

/** Compares with the head that the market shows now. */
async function lagFinding(url: string, identity: Identity, own: SignedHead | null): Promise<Finding> {
  const { head, network, market } = await upstreamOf(url, new AbortController().signal)
    .head()
    .catch((error: Error) => ({ head: error, network: '', market: '' }))
  if (head instanceof Error)
    return warning(ABOUT, `${url}: ${head.message}`, 'The mirror resumes when the market responds')
  if (market !== identity.market || network !== identity.network)
    return fault(
      ABOUT,
      `${url} is the market ${market} on ${network}`,
      'Use a separate folder for each market',
    )
  if (head && !isSigned(head, identity))
    return fault(
      ABOUT,
      `${url}: the market did not sign this head`,
      'See which server answers at that address',
    )
  const behind = (head?.position ?? 0) - (own?.position ?? 0)
  if (behind < 0)
    return fault(
      ABOUT,
      `${url} shows ${-behind} changes less than the market has signed before`,
      'Ask its operator: a market that was restored from a backup does this. The mirror keeps what it has',
    )
  if (behind === 0 && head && own && head.hash !== own.hash)
    return fault(ABOUT, `${url} has signed another history than this copy`, START)
  return behind === 0
    ? ok(ABOUT, `level with ${url}`)
    : warning(
        ABOUT,
        `${behind} changes behind ${url}`,
        'A running mirror catches up; check its log and /readyz',
      )
}

function ageOf(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} seconds`
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`
  return `${Math.round(seconds / 3600)} hours`
}
