import { DatabaseOutage, IdleTransaction } from '@ordbook/db/driver/outage.ts'
import { expect, it } from 'vitest'
import { BlockFault, isTransient } from './block-fault.ts'

const socketError = () => Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
const at = { height: 5, hash: 'ab' }

it('blames a block for a transaction that its computation left idle', () => {
  const error = new DatabaseOutage(new IdleTransaction(7000, socketError()))
  expect(isTransient(error)).toBe(false)
  expect(new BlockFault(at, error).reason).toMatch(/^the computation between two statements took longer/)
})

it('blames the database for a closed connection', () => {
  expect(isTransient(new DatabaseOutage(socketError()))).toBe(true)
})
