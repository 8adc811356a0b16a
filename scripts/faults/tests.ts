import type { FaultId } from '@ordbook/operations/faults/faults.ts'

/** A test that produces a fault: its file and title. */
export interface FaultTest {
  file: string
  title: string
}

const titled = (file: string) => (title: string) => ({ file, title })
const alerts: FaultTest = { file: 'e2e/chaos/alert-rules.test.ts', title: 'fires %s' }
const chaos: FaultTest = { file: 'e2e/chaos/alerts.test.ts', title: 'fires an alert during: %s' }
const bitcoind = titled('e2e/bitcoind/doctor.test.ts')
const certificates = titled('e2e/signer/key-hosts.test.ts')
const doctor = titled('e2e/operations/doctor.test.ts')
const health = titled('e2e/signer/health.test.ts')
const limits = titled('server/operations/src/doctor/limits.test.ts')
const mirror = titled('e2e/operations/doctor-mirror.test.ts')('reports the state of a mirror')
const pool = titled('e2e/settlements/pool.test.ts')
const replica = titled('e2e/operations/replica.test.ts')
const runes = titled('e2e/indexer/runes.test.ts')

const SETTINGS = doctor('reports contradictory settings')
const DATABASE = doctor('reports an unsafe, unreachable or empty database')
const KEYS = doctor('reports missing, foreign and readable keys')
const SECRETS = doctor('names the setting of a wrong or missing secret')
const KEYS_DOWN = doctor('reports that signer and guardian are down')
const NODE = doctor('reports a node that is down or on another chain')
const OLD_NODE = doctor('reports an old node, a syncing node, and a syncing transaction index')
const INDEX = doctor('reports an index that is behind, an old block and an old mempool')
const ENDED = doctor('reports stopped processes and mismatched journals')
const POLICY = bitcoind('names the policy option that prevents trades')
const INDEXES = bitcoind('reports missing indexes and a pruned node')
const POOL = pool('reports an empty pool and a spent allowance')
const REPLICA = replica('reports the state of a replica')
const PAUSED = replica('reports a replica whose replay is paused')
const EXPIRY = certificates('reports the expiry of certificates')
const UNREACHABLE = doctor('reports unreachable Redis and ord servers')

/** The test that produces each fault. A text is the reason why no test does. */
export const FAULT_TESTS: Readonly<Record<FaultId, FaultTest | string>> = {
  'settings-invalid': titled('e2e/operations/config.test.ts')('%s refuses an unknown name in the file'),
  'settings-risky': SETTINGS,
  'proxy-untrusted': SETTINGS,
  'proxy-unencrypted': SETTINGS,
  'content-same-origin': SETTINGS,
  'disk-unreadable': 'root, which runs the tests, can read every folder',
  'disk-full': limits('judges the free space of a disk'),
  'disk-low': limits('judges the free space of a disk'),
  'server-down': chaos,
  'role-not-ready': health("reports that a guardian's node is down"),
  'role-idle': ENDED,
  'redis-down': UNREACHABLE,
  'previews-unreachable': UNREACHABLE,
  'previews-stalled': doctor('reports a stuck settlement and a stalled renderer'),
  'previews-failing': alerts,
  'database-unset': doctor('reports a missing DATABASE_URL'),
  'database-down': DATABASE,
  'database-slow': doctor('reports a slow database and too few connections'),
  'database-version': 'requires PostgreSQL 14',
  'database-read-only': REPLICA,
  'database-unsafe': DATABASE,
  'database-connections': doctor('reports a slow database and too few connections'),
  'database-empty': DATABASE,
  'schema-old': doctor('reports the schema of another release'),
  'schema-foreign': doctor('reports the schema of another release'),
  'replication-unknown': REPLICA,
  'replication-behind': PAUSED,
  'replica-down': REPLICA,
  'replica-behind': PAUSED,
  'replica-foreign': REPLICA,
  'replica-promoted': REPLICA,
  'clock-off': chaos,
  'node-unset': doctor('reports a missing DATABASE_URL'),
  'node-down': NODE,
  'node-wrong-network': NODE,
  'node-other-chain': doctor('reports a node on another chain, and a new node'),
  'node-behind': INDEX,
  'node-version': OLD_NODE,
  'node-syncing': OLD_NODE,
  'chain-stale': INDEX,
  'node-pruned': INDEXES,
  'node-txindex-off': INDEXES,
  'node-txindex-syncing': OLD_NODE,
  'node-rest-off': INDEXES,
  'node-minrelaytxfee': POLICY,
  'node-dustrelayfee': POLICY,
  'node-packages': POLICY,
  'index-empty': DATABASE,
  'index-behind': INDEX,
  'index-fault': titled('e2e/indexer/stuck-block.test.ts')('pauses trading if a block cannot be indexed'),
  'mempool-stale': ENDED,
  'ord-unset': SETTINGS,
  'ord-down': runes('pauses trading while the ord server is behind or down'),
  'ord-behind': runes('pauses trading while the ord server is behind or down'),
  'ord-indexes': doctor('reports an ord server without indexes or after a deep reorg'),
  'ord-reorged': doctor('reports an ord server without indexes or after a deep reorg'),
  'signer-down': KEYS_DOWN,
  'signer-secret': SECRETS,
  'signer-keys': KEYS,
  'signer-journal': KEYS,
  'signer-alone': health('reports the state of each host of a pair'),
  'guardian-down': KEYS_DOWN,
  'guardian-secret': SECRETS,
  'guardian-keys': KEYS,
  'guardian-journal': KEYS,
  'guardian-alone': 'the code is shared with the signer, which has a test',
  'journal-unwritable': health("reports a signer's unwritable or missing journal"),
  'journals-reset': ENDED,
  'keys-readable': KEYS,
  'keys-in-server': SETTINGS,
  'certificate-expires': EXPIRY,
  'certificate-expired': EXPIRY,
  'public-certificate': doctor('reports a certificate of PUBLIC_URL that clients reject'),
  'coins-empty': POOL,
  'coins-low': doctor('reports a pool that is filling up'),
  'anchors-used-up': POOL,
  'fee-coins-used-up': POOL,
  'allowance-low': alerts,
  'allowance-used-up': POOL,
  'new-wallet-allowance-used-up': POOL,
  'ended-allowance-used-up': POOL,
  'ledger-unexplained': pool('reports coins that another holder of the keys spent'),
  'settlement-stuck': doctor('reports a stuck settlement and a stalled renderer'),
  maintenance: titled('server/operations/test/maintenance.test.ts')('shows the notice in the status'),
  'trading-paused': titled('server/operations/test/status.test.ts')(
    'trading pauses while the index is behind',
  ),
  'requests-fail': alerts,
  'requests-slow': alerts,
  'mirror-missing': mirror,
  'mirror-unreadable': mirror,
  'mirror-stopped': mirror,
  'mirror-unsigned': mirror,
  'mirror-not-running': mirror,
  'mirror-behind': mirror,
  'mirror-market-down': mirror,
  'mirror-other-market': mirror,
  'mirror-rolled-back': mirror,
}
