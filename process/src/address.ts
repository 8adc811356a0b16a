/** A network address: `tls://host:port`. */
export interface Address {
  host: string
  port: number
}

/** Parses `tls://host:port`; null if invalid. */
export function addressOf(text: string): Address | null {
  const [, bracketed, host, digits] =
    /^tls:\/\/(?:\[([0-9a-f:.]+)\]|([0-9a-z._-]+)):(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  return port >= 1 && port <= 65_535 ? { host: (bracketed ?? host)!, port } : null
}

/** Parses one or more comma-separated addresses; null if one is invalid. */
export function addressesOf(text: string): Address[] | null {
  const all = text.split(',').map((each) => addressOf(each.trim()))
  return all.every((each) => each !== null) ? all : null
}
