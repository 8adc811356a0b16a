import { type Fault, missing } from '@ordbook/db/process/errors.ts'
import { IMMUTABLE, type LargeSource } from '../content/serve.ts'
import type { ChainContext } from '../context.ts'
import type { Ord } from '../ord/ord.ts'
import * as answers from '../ord/ord-answers.ts'

/** Maximum size of metadata in hex, with quotes. */
export const MAX_METADATA = 8_000_002
/** Maximum size of other responses: 100 inscriptions per page. */
const MAX_PAGE = 256 * 1024

/** The response of a recursive endpoint of `ord`, for data that an index begun at it does not have. */
export class AtOrd implements LargeSource {
  readonly lane = 'ord recursion'
  readonly key: string | null
  readonly cache: string
  readonly mostBytes: number
  readonly read: () => Promise<unknown>

  /** A permanent response is cached. Sends `absent` if ord returns 404. */
  constructor(
    ord: Ord,
    path: string,
    { absent, isPermanent, mostBytes }: { absent: Fault; isPermanent: boolean; mostBytes: number },
  ) {
    this.key = isPermanent ? `ord ${path}` : null
    this.cache = isPermanent ? IMMUTABLE : 'no-store'
    this.mostBytes = mostBytes
    this.read = async () => {
      const found = await ord.recursive(path, mostBytes)
      if (found === null) throw absent
      return found
    }
  }
}

/** Passes a request on to `ord` if the index began there. Otherwise throws `absent`, because the index has everything. */
export function atOrd(
  { ord, base }: Pick<ChainContext, 'ord' | 'base'>,
  path: string,
  absent: Fault,
  { isPermanent = false, mostBytes = MAX_PAGE } = {},
): AtOrd {
  if (base === null || !ord) throw absent
  return new AtOrd(ord, path, { absent, isPermanent, mostBytes })
}

export const inscriptionNotFound = (id: string) =>
  missing('chain-data-missing', `Inscription ${id} not found.`)

export const noSatIndex = () => missing('chain-data-missing', 'The ord server does not number sats.')

/** Reads the id of an inscription on a sat. Throws `unavailable`. */
export const readId = (answer: unknown): string | null => answers.onSat(answer, '/r/sat').id
