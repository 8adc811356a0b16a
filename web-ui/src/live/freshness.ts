/** Data counts as live for this long after a response. */
const FRESH_SECONDS = 10
/** Pages poll every 20 seconds, so a longer silence means a dead connection. */
const DEAD_SECONDS = 45

/** `isUnreachable`: the last request got no response, and the browser was offline. */
export interface Connection {
  isConnected: boolean
  isUnreachable: boolean
}

/** Returns how fresh the data is after `silence` seconds. A dead connection can still appear connected. */
export function freshnessOf(
  { isConnected, isUnreachable }: Connection,
  silence: number,
): 'live' | 'quiet' | 'lost' {
  if (isUnreachable) return 'lost'
  if (silence < FRESH_SECONDS) return isConnected ? 'live' : 'quiet'
  return isConnected && silence < DEAD_SECONDS ? 'quiet' : 'lost'
}
