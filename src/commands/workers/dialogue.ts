/**
 * Two processes that ask each other to do things, by name. An answer comes back for what was
 * called, a refusal as a refusal; nothing comes back for what was told.
 */

import { Refusal, refuse } from '../../refusal.ts'

/** What a process can be asked to do: each with one value. */
type Duties = object

type Name<D extends Duties> = Extract<keyof D, string>
type Duty = (value: unknown) => unknown
type ValueOf<D extends Duties, N extends Name<D>> = D[N] extends (value: infer V) => unknown
  ? V
  : never
type ResultOf<D extends Duties, N extends Name<D>> = D[N] extends (...args: never) => infer R
  ? Awaited<R>
  : never

type Message =
  | { readonly kind: 'tell'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly value: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: Failure }

type Failure =
  | (Pick<Refusal, 'type'> & { readonly options: Refusal['options'] })
  | { readonly type: undefined; readonly cause: unknown }

/** A channel of Node between a process and the one that started it. */
export interface Channel {
  readonly connected: boolean
  send(message: unknown, sent: (error: Error | null) => void): unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
  once(event: 'disconnect', listener: () => void): unknown
}

export interface Dialogue<Theirs extends Duties> {
  /** Rejects with the other's refusal, or where the other is gone. */
  call<N extends Name<Theirs>>(name: N, value: ValueOf<Theirs, N>): Promise<ResultOf<Theirs, N>>
  tell<N extends Name<Theirs>>(name: N, value: ValueOf<Theirs, N>): void
}

export function converse<Theirs extends Duties>(channel: Channel, ours: Duties): Dialogue<Theirs> {
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let next = 0
  const send = (message: Message) => {
    // What cannot be sent any more is lost with the other process, whose end is noticed.
    if (channel.connected) channel.send(message, () => undefined)
  }

  function settle(id: number, settled: (one: PromiseWithResolvers<unknown>) => void): void {
    const one = pending.get(id)
    pending.delete(id)
    if (one) settled(one)
  }

  function receive(message: Message): void {
    switch (message.kind) {
      case 'tell':
        dutyOf(ours, message.name)(message.value)
        return
      case 'call':
        void answered(ours, message).then(send)
        return
      case 'answer':
        settle(message.id, ({ resolve }) => resolve(message.value))
        return
      case 'failure':
        settle(message.id, ({ reject }) => reject(errorOf(message.failure)))
    }
  }

  channel.on('message', (message) => receive(message as Message))
  channel.once('disconnect', () => {
    for (const { reject } of pending.values()) reject(new Error('The other process is gone'))
    pending.clear()
  })
  return {
    call(name, value) {
      const one = Promise.withResolvers<unknown>()
      if (!channel.connected) one.reject(new Error('The other process is gone'))
      const id = next++
      pending.set(id, one)
      send({ kind: 'call', id, name, value })
      return one.promise as never
    },
    tell: (name, value) => send({ kind: 'tell', name, value }),
  }
}

function dutyOf(ours: Duties, name: string): Duty {
  const duty: unknown = Object.hasOwn(ours, name) ? Reflect.get(ours, name) : undefined
  if (typeof duty !== 'function') throw new Error(`No duty '${name}'`)
  return duty as Duty
}

async function answered(
  ours: Duties,
  { id, name, value }: Extract<Message, { kind: 'call' }>,
): Promise<Message> {
  try {
    return { kind: 'answer', id, value: await dutyOf(ours, name)(value) }
  } catch (error) {
    return { kind: 'failure', id, failure: failureOf(error) }
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Refusal)) return { type: undefined, cause: error }
  return { type: error.type, options: error.options }
}

function errorOf(failure: Failure): unknown {
  return failure.type === undefined ? failure.cause : refuse(failure.type, failure.options)
}
