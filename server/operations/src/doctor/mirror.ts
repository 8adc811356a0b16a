import { statSync } from 'node:fs'
import { join } from 'node:path'
import { guide } from '@ordbook/process/guide.ts'
import { isHeld } from '@ordbook/process/process-lock.ts'
import { Copy, type Identity } from '../mirror/copy.ts'
import { upstreamOf } from '../mirror/upstream.ts'
import { HEAD_FILE, isSigned, readHeadOf, type SignedHead } from '../order-log/copy.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

const ABOUT = 'mirror'
const START = 'Start it with ordbook market mirror URL FOLDER. If it stops, check its log.'

/**
 * Checks a mirror's folder, without changing it. Computes the lag if the market's `url` is set. Never throws.
 */
export async function examineMirror(folder: string, url: string | null, now: Date): Promise<Finding[]> {
  try {
    const identity = await Copy.identityOf(folder)
    if (!identity) return [fault('mirror-missing', `${folder} does not contain a copy of a market`, START)]
    if (Copy.hasFork(folder))
      return [
        fault(
          'mirror-stopped',
          `the market ${identity.market} has signed two histories, and copying has stopped. The proof is in fork.json`,
          `Ask its operator whether the market was restored from a backup. Keep this folder, and start a mirror in a new one (${guide('docs/how-to/mirror-a-market.md')}).`,
        ),
      ]
    const head = readHeadOf(folder, identity)
    return [
      headFinding(folder, identity, head, now),
      (await isHeld(folder, 'mirror')) === false
        ? fault('mirror-not-running', `no mirror is running in ${folder}`, START)
        : ok(ABOUT, `a mirror is running in ${folder}`),
      ...(url === null ? [] : [await lagFinding(url, identity, head)]),
    ]
  } catch (error) {
    return [
      fault(
        'mirror-unreadable',
        (error as Error).message,
        'Restore the folder from a backup, or start a mirror in a new one.',
      ),
    ]
  }
}

function headFinding(folder: string, identity: Identity, head: SignedHead | null, now: Date): Finding {
  const of = `the market ${identity.market} on ${identity.network}`
  if (!head)
    return warning(
      'mirror-unsigned',
      `${of} has not signed any change in this copy yet`,
      'Check the log of the mirror.',
    )
  const seconds = Math.max(0, (now.getTime() - statSync(join(folder, HEAD_FILE)).mtimeMs) / 1000)
  return ok(ABOUT, `${head.position} changes signed by ${of}, the last copied ${ageOf(seconds)} ago`)
}

/** Compares the copy with the market's current head. */
async function lagFinding(url: string, identity: Identity, own: SignedHead | null): Promise<Finding> {
  const { head, network, market } = await upstreamOf(url, new AbortController().signal)
    .head()
    .catch((error: Error) => ({ head: error, network: '', market: '' }))
  if (head instanceof Error)
    return warning(
      'mirror-market-down',
      `${url}: ${head.message}`,
      'The mirror resumes when the market responds.',
    )
  if (market !== identity.market || network !== identity.network)
    return fault(
      'mirror-other-market',
      `${url} is the market ${market} on ${network}`,
      'Use a separate folder for each market.',
    )
  if (head && !isSigned(head, identity))
    return fault(
      'mirror-other-market',
      `${url}: the market did not sign this head`,
      'Check which server responds at that address.',
    )
  const behind = (head?.position ?? 0) - (own?.position ?? 0)
  if (behind < 0)
    return fault(
      'mirror-rolled-back',
      `${url} is missing ${-behind} changes that the market has signed`,
      'Ask its operator whether the market was restored from a backup. The mirror keeps its copy.',
    )
  if (behind === 0 && head && own && head.hash !== own.hash)
    return fault('mirror-stopped', `${url} has signed a different history`, START)
  return behind === 0
    ? ok(ABOUT, `up to date with ${url}`)
    : warning(
        'mirror-behind',
        `${behind} changes behind ${url}`,
        'A running mirror catches up. Check its log and /readyz.',
      )
}

function ageOf(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} seconds`
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`
  return `${Math.round(seconds / 3600)} hours`
}
