/**
 * Remote procedure calls between two processes. A call resolves with the result, or rejects with the
 * refusal that the method threw; a notification has no result.
 */

import { Refusal, refuse } from '../../refusal.ts'

/** The methods of a process, each with one parameter. */
type RpcMethods = object

type MethodName<Methods extends RpcMethods> = Extract<keyof Methods, string>
type RpcMethod = (value: unknown) => unknown
type ArgumentOf<Methods extends RpcMethods, Name extends MethodName<Methods>> = Methods[Name] extends (
  value: infer V,
) => unknown
  ? V
  : never
type ResultOf<Methods extends RpcMethods, Name extends MethodName<Methods>> = Methods[Name] extends (
  ...args: never
) => infer R
  ? Awaited<R>
  : never

type Message =
  | { readonly kind: 'notification'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly value: unknown }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: Failure }

type Failure =
  | (Pick<Refusal, 'type'> & { readonly options: Refusal['options'] })
  | { readonly type: undefined; readonly cause: unknown }

/** Node's IPC channel between a process and the process that started it. */
export interface Channel {
  readonly connected: boolean
  /** Undefined in a process that was not forked. */
  send?(message: unknown, sent: (error: Error | null) => void): unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
  once(event: 'disconnect', listener: () => void): unknown
}

export interface RpcConnection<Theirs extends RpcMethods> {
  /** Rejects with the refusal of the method, or when the other process has ended. */
  call<Name extends MethodName<Theirs>>(
    name: Name,
    value: ArgumentOf<Theirs, Name>,
  ): Promise<ResultOf<Theirs, Name>>
  notify<Name extends MethodName<Theirs>>(name: Name, value: ArgumentOf<Theirs, Name>): void
}

/** Connects the two processes of a channel: `ours` are called by the other process. */
export function connectRpc<Theirs extends RpcMethods>(
  channel: Channel,
  ours: RpcMethods,
): RpcConnection<Theirs> {
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let next = 0
  const send = (message: Message) => {
    // A message to a process that has ended is dropped: 'disconnect' rejects the calls.
    if (channel.connected) channel.send?.(message, () => undefined)
  }

  function settle(id: number, use: (call: PromiseWithResolvers<unknown>) => void): void {
    const call = pending.get(id)
    pending.delete(id)
    if (call) use(call)
  }

  function receive(message: Message): void {
    switch (message.kind) {
      case 'notification':
        methodOf(ours, message.name)(message.value)
        return
      case 'call':
        void runMethod(ours, message).then(send)
        return
      case 'result':
        settle(message.id, ({ resolve }) => resolve(message.value))
        return
      case 'failure':
        settle(message.id, ({ reject }) => reject(errorOf(message.failure)))
    }
  }

  channel.on('message', (message) => receive(message as Message))
  channel.once('disconnect', () => {
    for (const { reject } of pending.values()) reject(new Error('The other process has ended'))
    pending.clear()
  })
  return {
    call(name, value) {
      const call = Promise.withResolvers<unknown>()
      if (!channel.connected) call.reject(new Error('The other process has ended'))
      const id = next++
      pending.set(id, call)
      send({ kind: 'call', id, name, value })
      return call.promise as never
    },
    notify: (name, value) => send({ kind: 'notification', name, value }),
  }
}

function methodOf(ours: RpcMethods, name: string): RpcMethod {
  const method: unknown = Object.hasOwn(ours, name) ? Reflect.get(ours, name) : undefined
  if (typeof method !== 'function') throw new Error(`Unknown method '${name}'`)
  return method as RpcMethod
}

async function runMethod(
  ours: RpcMethods,
  { id, name, value }: Extract<Message, { kind: 'call' }>,
): Promise<Message> {
  try {
    return { kind: 'result', id, value: await methodOf(ours, name)(value) }
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
