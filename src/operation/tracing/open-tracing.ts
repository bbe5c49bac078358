/**
 * Opens tracing: a tracer whose spans are sent to a collector. Loaded only where one is configured. The official SDK
 * has dozens of packages, changes modules of Node, and slows the start.
 */

import { hostname } from 'node:os'
import type { Observer } from '../../observation.ts'
import type { Tracer } from '../../tracer.ts'
import type { TracingConfig } from '../configuration/config-values.ts'
import { OtlpExporter } from './otlp-exporter.ts'
import { SpanTracer } from './span-tracer.ts'

export interface OpenTracing {
  readonly tracer: Tracer
  /** Sends the remaining spans. */
  close(): Promise<void>
}

export function openTracing(
  { endpoint, fields, service, ratio, followsParent }: TracingConfig,
  observe: Observer,
): OpenTracing {
  const resource = {
    'service.name': service,
    'service.instance.id': `${hostname()}-${process.pid}`,
    'telemetry.sdk.name': 'restwell',
    'telemetry.sdk.language': 'nodejs',
  }
  const exporter = new OtlpExporter({ endpoint, fields, resource, observe })
  const tracer = new SpanTracer({ ratio, followsParent, record: (span) => exporter.add(span) })
  return {
    tracer,
    async close() {
      tracer.close()
      await exporter.close()
    },
  }
}
