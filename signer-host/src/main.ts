import { joinBytes } from '@ordbook/bitcoin/bytes.ts'
import { signerCalls } from '@ordbook/signer/requests.ts'
import { runKeyProcess } from './key-process.ts'
import { openSignerHere } from './open.ts'

/**
 * `ordbook market signer`: the market's keys as a separate process, user, container or host. Signs what the policy allows. Records
 * signatures and revocations before it responds.
 */
await runKeyProcess('signer', (config) => {
  const { keys: signer, journal, made } = openSignerHere(config, { missing: null, isFirst: false })
  if (made)
    console.log(
      'Created new keys. Back up cosign.key and coins.key: without them, the coins of the market are lost.',
    )
  const { cosignKey, coinScript } = signer.keys
  return { calls: signerCalls, api: signer, journal, publicKeys: joinBytes([cosignKey, coinScript]) }
})
