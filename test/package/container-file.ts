/** Runs the steps of a container file in folders of this machine, without a daemon and without its base images. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** The last stage, as a container would start it. */
export interface BuiltImage {
  /** The folder that is the root of the file system. */
  readonly root: string
  readonly user: string
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly volumes: readonly string[]
  readonly command: readonly string[]
  readonly healthCheck: readonly string[]
  /** The arguments of each `chown`, which needs the user of the image. */
  readonly owners: readonly string[]
}

interface Stage {
  readonly root: string
  readonly owners: string[]
  readonly environment: Record<string, string>
  readonly volumes: string[]
  folder: string
  user: string
  entry: readonly string[]
  command: readonly string[]
  healthCheck: readonly string[]
}

/** Fails for an instruction that it does not know. */
export async function buildImage(text: string, context: string, work: string): Promise<BuiltImage> {
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const { name, value } of instructionsOf(text)) {
    if (name === 'FROM') {
      const [, as = `stage-${stages.size}`] = /^node:26-slim(?: AS (\w+))?$/.exec(value) ?? []
      stage = await createStage(join(work, as))
      stages.set(as, stage)
    } else {
      assert.ok(stage, 'a stage begins with FROM')
      await perform(stage, name, value, { context, stages })
    }
  }
  assert.ok(stage)
  const { entry, command, ...image } = stage
  return { ...image, command: [...entry, ...command] }
}

function instructionsOf(text: string) {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
  return lines.flatMap((line) => {
    const [, name, value = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [{ name, value }]
  })
}

async function createStage(root: string): Promise<Stage> {
  await mkdir(join(root, 'tmp'), { recursive: true })
  const none = { entry: [], command: [], healthCheck: [] }
  return { root, owners: [], environment: {}, volumes: [], folder: '/', user: 'root', ...none }
}

interface BuildSources {
  readonly context: string
  readonly stages: ReadonlyMap<string, Stage>
}

async function perform(stage: Stage, name: string, value: string, sources: BuildSources): Promise<void> {
  switch (name) {
    case 'WORKDIR':
      stage.folder = value
      await mkdir(join(stage.root, value), { recursive: true })
      return
    case 'COPY':
      return copy(stage, value, sources)
    case 'RUN':
      return run(stage, value)
    case 'ENV':
      for (const [, key = '', text = ''] of value.matchAll(/(\w+)=(\S+)/g)) stage.environment[key] = text
      return
    case 'USER':
      stage.user = value
      return
    case 'VOLUME':
      stage.volumes.push(value)
      return
    case 'EXPOSE':
      return
    case 'HEALTHCHECK':
      stage.healthCheck = JSON.parse(/CMD (\[.*\])$/.exec(value)?.[1] ?? '[]')
      return
    case 'ENTRYPOINT':
      stage.entry = JSON.parse(value)
      return
    case 'CMD':
      stage.command = JSON.parse(value)
      return
    default:
      assert.fail(`unknown instruction ${name}`)
  }
}

async function copy(stage: Stage, value: string, { context, stages }: BuildSources): Promise<void> {
  const [, from, source = '', target = ''] = /^(?:--from=(\w+) )?(\S+) (\S+)$/.exec(value) ?? []
  const origin = from === undefined ? context : stages.get(from)?.root
  assert.ok(origin, value)
  const destination = join(stage.root, target.startsWith('/') ? target : join(stage.folder, target))
  await mkdir(dirname(destination), { recursive: true })
  await cp(join(origin, source), destination, { recursive: true, verbatimSymlinks: true })
}

/** Absolute paths are those of the stage. */
async function run(stage: Stage, value: string): Promise<void> {
  const programs = join(stage.root, 'tmp/programs')
  await mkdir(programs, { recursive: true })
  await writeFile(join(programs, 'chown'), '#!/bin/sh\n')
  await chmod(join(programs, 'chown'), 0o755)
  const script = value.replaceAll(/(?<=[\s=])\/(?=\w)/g, `${stage.root}/`)
  const [, owned] = /chown (\S+ \S+)/.exec(value) ?? []
  if (owned !== undefined) stage.owners.push(owned)
  const env = {
    ...process.env,
    PATH: [programs, process.env.PATH].join(delimiter),
    npm_config_prefer_offline: 'true',
  }
  await promisify(execFile)('sh', ['-ec', script], { cwd: join(stage.root, stage.folder), env })
}
