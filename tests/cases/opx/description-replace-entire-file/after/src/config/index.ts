export interface AppConfig {
  apiBaseUrl: string;
  enableTelemetry: boolean;
  maxConcurrentJobs: number;
}

export const config: AppConfig = {
  apiBaseUrl: process.env.API_BASE_URL || 'http://localhost:3000',
  enableTelemetry: process.env.TELEMETRY === '1',
  maxConcurrentJobs: Number(process.env.MAX_JOBS || 4),
};
