/** Network address `tls://host:port`. */
export interface Address {
  host: string
  port: number
}

export function addressOf(text: string): Address | null {
  const [, bracketed, host, digits] =
    /^tls:\/\/(?:\[([0-9a-f:.]+)\]|([0-9a-z._-]+)):(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  return port >= 1 && port <= 65_535 ? { host: (bracketed ?? host)!, port } : null
}

/** Parses comma-separated addresses. Returns null if any is invalid. */
export function addressesOf(text: string): Address[] | null {
  const all = text.split(',').map((entry) => addressOf(entry.trim()))
  return all.every((address) => address !== null) ? all : null
}
