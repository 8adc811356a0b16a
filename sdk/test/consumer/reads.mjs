import { Client } from '@ordbook/sdk'

globalThis.client = new Client('https://market.example/api/v1')
