import { ConfigError } from '@ordbook/process/variables.ts'
import { guardianCalls } from '@ordbook/signer/requests.ts'
import { runKeyProcess } from '../key-process.ts'
import { openGuardianHere } from '../open.ts'
import { byNode, checkedNode } from './by-node.ts'

/**
 * `ordbook market guardian`: the second key of collection offers in a separate process, ideally on a separate host. It trusts only its own
 * node.
 */
await runKeyProcess('guardian', (config) => {
  if (!config.bitcoinRpcUrl)
    throw new ConfigError(
      'BITCOIN_RPC_URL is not set. Set it to a node with txindex=1, as in http://user:password@127.0.0.1:8332',
    )
  const origin = { missing: null, isFirst: false }
  const { keys: guardian, journal } = openGuardianHere(config, byNode(config.bitcoinRpcUrl), origin)
  return {
    calls: guardianCalls,
    api: guardian,
    journal,
    publicKeys: guardian.key,
    needed: checkedNode(config.bitcoinRpcUrl),
  }
})
