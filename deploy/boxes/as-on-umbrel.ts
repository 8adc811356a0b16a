import { readFileSync } from 'node:fs'
import { parse, stringify } from 'yaml'
import { exitWithUsage, readCommand } from '../../scripts/command.ts'

/**
 * `node deploy/boxes/as-on-umbrel.ts COMPOSE IMAGE PORT NGINX_CONF`: prints the Umbrel app's compose file with the box's services: a proxy
 * (nginx here) and the Bitcoin node. IMAGE replaces the market's image; other images are stand-ins without a digest.
 */
const USAGE = 'usage: node deploy/boxes/as-on-umbrel.ts COMPOSE IMAGE PORT NGINX_CONF'
const [file, image, port, conf] = readCommand(USAGE, { allowPositionals: true }).positionals
if (!file || !image || !port || !conf) exitWithUsage(USAGE, 'expected four arguments')
const { services } = parse(readFileSync(file, 'utf8')) as {
  services: Record<string, Record<string, unknown>>
}
for (const service of Object.values(services)) {
  const name = String(service.image).replace(/@.*/, '')
  // podman-compose 1.0.3 adds a network to `network_mode: none`, which podman rejects. Use an internal network instead.
  if (service.network_mode === 'none') {
    delete service.network_mode
    service.networks = ['alone']
  }
  service.image = name.startsWith('ordbook/ordbook:')
    ? image
    : `docker.io/${name.includes('/') ? '' : 'library/'}${name}`
}
services.app_proxy = {
  image: 'docker.io/library/nginx:1.28',
  depends_on: ['server'],
  restart: 'on-failure',
  ports: [`127.0.0.1:${port}:8080`],
  volumes: [`${conf}:/etc/nginx/nginx.conf:ro`],
}
services.bitcoind = {
  image: 'docker.io/bitcoin/bitcoin:30',
  volumes: ['bitcoin:/home/bitcoin/.bitcoin'],
  command: [
    'bitcoind',
    '-chain=regtest',
    '-datadir=/home/bitcoin/.bitcoin',
    '-server',
    '-rest',
    '-txindex',
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: compose fills them in
    '-rpcport=${APP_BITCOIN_RPC_PORT}',
    '-rpcbind=0.0.0.0',
    '-rpcallowip=0.0.0.0/0',
    '-rpcuser=${APP_BITCOIN_RPC_USER}',
    '-rpcpassword=${APP_BITCOIN_RPC_PASS}',
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: compose fills them in
  ],
}
console.log(
  stringify({
    version: '3.7',
    services,
    networks: { default: {}, alone: { internal: true } },
    volumes: { bitcoin: {} },
  }),
)
