import { setupManifest } from '@start9labs/start-sdk'
import { bitcoinDescription, installAlert, long, restoreAlert, short } from './i18n'

export const manifest = setupManifest({
  id: 'ordbook',
  title: 'ordbook',
  license: 'MIT',
  packageRepo: 'https://ordbook.example/repository',
  upstreamRepo: 'https://ordbook.example/repository',
  marketingUrl: 'https://ordbook.example',
  donationUrl: null,
  description: { short, long },
  volumes: ['postgres', 'ord', 'server', 'signer', 'guardian', 'run', 'startos'],
  images: {
    ordbook: { source: { dockerTag: 'ordbook/ordbook:0.1.0' }, arch: ['x86_64', 'aarch64'] },
    postgres: { source: { dockerTag: 'postgres:17.9' }, arch: ['x86_64', 'aarch64'] },
    ord: { source: { dockerTag: 'nmfretz/ord:0.27.1' }, arch: ['x86_64', 'aarch64'] },
  },
  alerts: {
    install: installAlert,
    update: null,
    uninstall: null,
    restore: restoreAlert,
    start: null,
    stop: null,
  },
  dependencies: {
    bitcoind: {
      description: bitcoinDescription,
      optional: false,
      metadata: { title: 'Bitcoin', icon: 'https://ordbook.example/bitcoin.svg' },
    },
  },
})
