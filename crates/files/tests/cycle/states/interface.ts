interface CycleState {
  cycle_id: string
  title: string
  description: string
  task_history: string[]
  status: 'created' | 'running' | 'paused' | 'completed' | 'failed'
  created_at: string
  updated_at: string
  completed_at?: string
  max_iterations: number
  current_iteration: number
  failure_reason?: string
  agents: {
    ra: AgentState
    ep: AgentState
    cd: AgentState
    vas: AgentState
  }
  current_phase: 'init' | 'ra' | 'ep' | 'cd' | 'vas' | 'aggregation' | 'complete'
  completed_phases: string[]
  phase_errors: Array<{
    phase: string
    error: string
    timestamp: string
  }>
  requirements?: {
    version: string
    specification: string
    edge_cases: string[]
    last_updated: string
  }
  exploration?: {
    version: string
    architecture_summary: string
    integration_points: string[]
    identified_risks: string[]
    last_updated: string
  }
  plan?: {
    version: string
    tasks: PlanTask[]
    total_estimated_effort: string
    critical_path: string[]
    last_updated: string
  }
  changes?: {
    total_files: number
    changes: ChangeLog[]
    iteration_markers: Record<number, string>
  }
  test_results?: {
    version: string
    pass_rate: number
    coverage: number
    failed_tests: string[]
    total_tests: number
    last_run: string
  }
  iterations: IterationRecord[]
  coordination: {
    feedback_log: FeedbackEntry[]
    pending_decisions: Decision[]
    blockers: Blocker[]
  }
}
interface AgentState {
  status: 'idle' | 'running' | 'waiting' | 'completed' | 'failed'
  started_at?: string
  completed_at?: string
  output_files: string[]
  last_message?: string
  error?: string
  iterations_completed: number
}
interface PlanTask {
  id: string
  description: string
  effort: 'small' | 'medium' | 'large'
  depends_on: string[]
  status: 'pending' | 'in_progress' | 'completed' | 'blocked'
  assigned_to?: string
  files: string[]
}
interface ChangeLog {
  timestamp: string
  file: string
  action: 'create' | 'modify' | 'delete'
  iteration: number
  agent: string
  description: string
}
interface IterationRecord {
  number: number
  extension?: string
  started_at: string
  completed_at: string
  agent_results: Record<string, {
    status: string
    files_modified: number
  }>
  issues_found: string[]
  resolved: boolean
}
interface FeedbackEntry {
  timestamp: string
  source: string
  target: string
  content: string
  type: 'requirement_update' | 'bug_report' | 'issue_fix' | 'clarification'
}
interface Decision {
  id: string
  description: string
  options: string[]
  made_by?: string
  chosen_option?: string
  status: 'pending' | 'made' | 'implemented'
}
interface Blocker {
  id: string
  description: string
  reported_by: string
  status: 'open' | 'resolved' | 'workaround'
  resolution?: string
}
