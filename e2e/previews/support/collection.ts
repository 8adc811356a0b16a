import { randomUUID } from 'node:crypto'
import type { NewInscription } from '@ordbook/bitcoin/envelope.ts'
import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { importAs, type TestMarket } from '../../support/market.ts'

/** Content to inscribe. Strings are UTF-8. */
export type Piece = Omit<NewInscription, 'body'> & { body: string | Uint8Array }

export async function importCollection(
  market: TestMarket,
  wallet: LocalWallet,
  pieces: readonly Piece[],
): Promise<{ slug: string; ids: string[] }> {
  const ids: string[] = []
  // A block holds at most 4 MB.
  for (let at = 0; at < pieces.length; ) {
    const batch: Piece[] = []
    let bytes = 0
    while (at < pieces.length && (batch.length === 0 || bytes + pieces[at]!.body.length < 3_000_000)) {
      bytes += pieces[at]!.body.length
      batch.push(pieces[at++]!)
    }
    ids.push(
      ...(await market.regtest.inscribeTogether(
        batch.map(({ body, ...rest }) => ({
          inscription: { ...rest, body: Buffer.from(body) },
          owner: wallet.ordinalsScript,
          postageSats: 546,
        })),
      )),
    )
  }
  const slug = `pieces-${randomUUID().slice(0, 8)}`
  await importAs(market, slug, ids)
  return { slug, ids }
}

export interface PieceState {
  key: string
  state: string
  failure: string | null
  attempts: number
}

/** Waits until no preview is pending and returns all previews. Throws after `seconds`. */
export async function settled(
  market: TestMarket,
  ids: readonly string[],
  seconds = 180,
): Promise<Map<string, PieceState>> {
  for (let waited = 0; ; waited++) {
    const rows = await market.sql<(PieceState & { inscriptionId: string })[]>`
      select i.inscription_id, encode(p.content_key, 'hex') as key, p.state, p.failure, p.attempts
      from previewed_inscriptions i join previews p using (content_key)
      where i.inscription_id = any(${ids as string[]}::text[])`
    if (rows.length === new Set(ids).size && rows.every((row) => row.state !== 'waiting'))
      return new Map(rows.map(({ inscriptionId, ...state }) => [inscriptionId, state]))
    if (waited >= seconds) throw new Error(`not rendered in time: ${JSON.stringify(rows)}`)
    await new Promise((done) => setTimeout(done, 1000))
  }
}
