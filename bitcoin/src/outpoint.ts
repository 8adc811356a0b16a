/** A transaction output. `txid` is lower-case hex in display order. */
export interface Outpoint {
  txid: string
  vout: number
}

const ZEROS = '0'.repeat(64)

/** Location of lost sats (ord's null outpoint). */
export const LOST: Outpoint = { txid: ZEROS, vout: 0xffffffff }

/** Location of unbound inscriptions (ord handbook, "Inscriptions"). */
export const UNBOUND: Outpoint = { txid: ZEROS, vout: 0 }

/** Returns true for the txid of coinbase inputs, `LOST` and `UNBOUND`. */
export const isNoTxid = (txid: string): boolean => txid === ZEROS

/** `<txid>:<vout>` */
export function formatOutpoint({ txid, vout }: Outpoint): string {
  return `${txid}:${vout}`
}

/** Parses `<txid>:<vout>` without validation. */
export function parseOutpoint(text: string): Outpoint {
  const [txid, vout] = text.split(':')
  return { txid: txid!, vout: Number(vout) }
}

/** `<txid>:<vout>:<offset>` (ord handbook, "Terminology") */
export function formatSatpoint(outpoint: Outpoint, offset: number): string {
  return `${outpoint.txid}:${outpoint.vout}:${offset}`
}
