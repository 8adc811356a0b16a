/** An output of a transaction. `txid` is lower-case hex in display order. */
export interface Outpoint {
  txid: string
  vout: number
}

const ZEROS = '0'.repeat(64)

/** Holds the sats that no coinbase claimed (ord's null outpoint). */
export const LOST: Outpoint = { txid: ZEROS, vout: 0xffffffff }

/** Holds the inscriptions that are bound to no sat (ord handbook, "Inscriptions", unbound). */
export const UNBOUND: Outpoint = { txid: ZEROS, vout: 0 }

/** Whether a txid is all zeros, as in the input of a coinbase and in the two outpoints above. */
export const isNoTxid = (txid: string): boolean => txid === ZEROS

/** `<txid>:<vout>` */
export function formatOutpoint({ txid, vout }: Outpoint): string {
  return `${txid}:${vout}`
}

/** The outpoint of a text that `formatOutpoint`, or ord, has written. */
export function parseOutpoint(text: string): Outpoint {
  const [txid, vout] = text.split(':')
  return { txid: txid!, vout: Number(vout) }
}

/** `<txid>:<vout>:<offset>`; the offset counts sats from the output's first (ord handbook, "Terminology"). */
export function formatSatpoint(outpoint: Outpoint, offset: number): string {
  return `${outpoint.txid}:${outpoint.vout}:${offset}`
}
