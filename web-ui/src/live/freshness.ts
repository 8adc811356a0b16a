/** After this long without a response, the data is no longer shown as live. */
const FRESH_SECONDS = 10
/** Pages poll every 20 seconds, so a connected stream without a response for this long is considered dead. */
const DEAD_SECONDS = 45

/**
 * Returns how fresh the data is after `silence` seconds without a response. The connection state alone is not enough: a dead connection
 * looks connected until the system times it out.
 */
export function freshnessOf(isConnected: boolean, silence: number): 'live' | 'quiet' | 'lost' {
  if (silence < FRESH_SECONDS) return isConnected ? 'live' : 'quiet'
  return isConnected && silence < DEAD_SECONDS ? 'quiet' : 'lost'
}
