/** A service of notes in a process of its own, for faults of its database file. */

import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Outcome, outcomeOf, type RunningCommand, root, running } from '../commands/command.ts'
import { eventually } from '../eventually.ts'
import { createRequester, type SendRequest } from '../service.ts'

const definition = join(root, 'test/faults/fixtures/notes.ts')

export interface NotesNode extends RunningCommand {
  readonly request: SendRequest
}

export interface NotesOptions {
  readonly workers?: number
}

/** Killed when the test is over, if it still runs. */
export async function startNotes(
  t: TestContext,
  file: string,
  options: NotesOptions = {},
): Promise<NotesNode> {
  const command = await running(argsFor(file, options), { environment })
  t.after(() => command.process.kill('SIGKILL'))
  return { ...command, request: patient(createRequester(command.port)) }
}

/** Repeats requests that the service refuses because the machine is busy. */
function patient(request: SendRequest): SendRequest {
  return (line, fields, body) =>
    eventually(async () => {
      const reply = await request(line, fields, body)
      const isBusy = reply.status === 503 && reply.text.includes('The service is overloaded')
      return !isBusy && reply
    })
}

/** Runs the service where it is expected to refuse to start. */
export function refusedNotes(file: string): Promise<Outcome> {
  return outcomeOf(argsFor(file, {}), { environment })
}

function argsFor(file: string, { workers = 1 }: NotesOptions) {
  const address = ['--host', '127.0.0.1', '--port', '0', '--workers', String(workers)]
  return ['serve', definition, '--database', `file:${file}`, ...address]
}

const environment = {
  RESTWELL_ADMIN: 'admin@example.org:correct horse battery',
  RESTWELL_RATE: 'off',
  RESTWELL_SAMPLE: 'off',
}

/** Creates a note; returns the status. */
export async function createNote(request: SendRequest, title: string, body?: string): Promise<number> {
  return (await request('POST /notes', {}, { title, body })).status
}

export async function titlesOf(request: SendRequest): Promise<readonly string[]> {
  const { json } = await request('GET /notes?limit=1000')
  return json.map(({ title }: { title: string }) => title)
}
