/** A place of the network: `tls://host:port`. */
export interface Address {
  host: string
  port: number
}

/** Reads `tls://host:port`; null for any other text. */
export function addressOf(text: string): Address | null {
  const [, bracketed, host, digits] =
    /^tls:\/\/(?:\[([0-9a-f:.]+)\]|([0-9a-z._-]+)):(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  return port >= 1 && port <= 65_535 ? { host: (bracketed ?? host)!, port } : null
}

/** Reads one address or several with commas between them; null for any other text. */
export function addressesOf(text: string): Address[] | null {
  const all = text.split(',').map((each) => addressOf(each.trim()))
  return all.every((each) => each !== null) ? all : null
}
